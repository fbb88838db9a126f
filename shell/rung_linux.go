package shell

import "drawbridge/shell/procfs"

// CleanupRung is the rung that this process reaches on this machine.
func CleanupRung() Rung {
	if !canListProcesses() {
		return GroupRung
	}
	if !theGuards.possible() {
		return TreeRung
	}
	if !procfs.HasLists() {
		return ScanRung
	}
	if _, err := leafBase(); err != nil {
		return GuardRung
	}
	return CgroupRung
}
