package protocol

// SettingsProblem is one fault of a settings file.
type SettingsProblem struct {
	// The file's absolute path.
	File string `json:"file"`
	// From 1; 0: the whole file.
	Line int `json:"line"`
	// From 1; 0: the whole line.
	Column int `json:"column"`
	// One line: what is wrong, and what was probably meant.
	Message string `json:"message"`
	// The settings count all the same.
	Warning bool `json:"warning,omitempty"`
}

// SettingsChanged says what became of settings files that changed while the
// bridge runs.
type SettingsChanged struct {
	// They count from now on. Else those count that were read last.
	Applied bool `json:"applied"`
	// The settings that changed, such as approval.rules; empty when none count.
	Changed List[string] `json:"changed"`
	// Of those, what counts for new sessions or after a restart only, a line each.
	Later List[string] `json:"later,omitempty"`
	// What is wrong with the files as they are now.
	Problems List[SettingsProblem] `json:"problems"`
}
