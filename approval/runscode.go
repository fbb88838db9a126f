package approval

import "drawbridge/approval/rule"

// RunsCode says who would run what is written to path, without anyone asking
// for it; "" for ordinary files. See rule.RunsCode.
func RunsCode(path string) string { return rule.RunsCode(path) }
