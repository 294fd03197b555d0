package main

import (
	"net"
	"strings"
	"testing"
)

// The address and the authority stand in every feed, the authority for ever.
func TestBaseURL(t *testing.T) {
	tests := []struct{ flag, want, authority, wrong string }{
		{flag: "", want: "http://localhost:8080"},
		{flag: "https://reviews.example.org/", want: "https://reviews.example.org", authority: "reviews.example.org"},
		{flag: "https://Reviews.Example.ORG:8443", want: "https://reviews.example.org:8443", authority: "reviews.example.org"},
		{flag: "https://B\u00fccher.example.org", want: "https://xn--bcher-kva.example.org", authority: "xn--bcher-kva.example.org"},
		{flag: "http://\u4f8b\u3048.example.org:81", want: "http://xn--r8jz45g.example.org:81", authority: "xn--r8jz45g.example.org"},
		{flag: "https://reviews.example.org:443/", want: "https://reviews.example.org", authority: "reviews.example.org"},
		{flag: "http://reviews.example.org:443", want: "http://reviews.example.org:443", authority: "reviews.example.org"},
		{flag: "https://B\u00fccher.example.org:443", want: "https://xn--bcher-kva.example.org", authority: "xn--bcher-kva.example.org"},
		{flag: "http://[2001:db8::80]:80", want: "http://[2001:db8::80]"},
		{flag: "http://[2001:db8::80]", want: "http://[2001:db8::80]"},
		{flag: "http://my_box.example.org", want: "http://my_box.example.org"},
		{flag: "http://192.0.2.7:81", want: "http://192.0.2.7:81"},
		{flag: "http://[2001:DB8::1]:81", want: "http://[2001:db8::1]:81"},
		{flag: "http://box.lan", want: "http://box.lan"},
		{flag: "http://box", want: "http://box"},
		{flag: "https://\u00fc\u2028.example.org", wrong: "has a host that no domain can have"},
		{flag: "https://reviews.example.org/sub", wrong: "has a path"},
		{flag: "reviews.example.org", wrong: "is no absolute http or https address"},
		{flag: "ftp://reviews.example.org", wrong: "is no absolute http or https address"},
		{flag: "https://reviews.example.org?x", wrong: "is no absolute http or https address"},
	}
	for _, test := range tests {
		t.Run(test.flag, func(t *testing.T) {
			c := ServeCmd{BaseURL: test.flag}
			got, err := c.baseURL(&net.TCPAddr{Port: 8080})
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("got %q and error %v, want an error that says %q", got, err, test.wrong)
				}
				return
			}
			if err != nil || got != test.want {
				t.Fatalf("got %q and error %v, want %q", got, err, test.want)
			}
			if name := publicName(got); name != test.authority {
				t.Errorf("authority %q, want %q", name, test.authority)
			}
		})
	}
}
