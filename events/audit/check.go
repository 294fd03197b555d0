package audit

import "context"

// Check holds the events up to one to the chain, from the position of the chain
// on. It calls progress, if that is set, with each sequence up to which all is
// well.
func Check(ctx context.Context, read Read, c *Chain, to uint64, progress func(seq uint64)) error {
	err := Scan(ctx, read, c.seq+1, to, func(list []Decoded) error {
		for _, d := range list {
			if err := c.Take(d); err != nil {
				return err
			}
		}
		if progress != nil {
			progress(c.seq)
		}
		return nil
	})
	if errEnd := c.End(); errEnd != nil {
		return errEnd
	}
	return err
}
