package ops

import "golang.org/x/sys/windows"

func diskSpace(dir string) (space DiskSpace, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return DiskSpace{}, err
	}
	return space, windows.GetDiskFreeSpaceEx(name, &space.Free, &space.Total, nil)
}
