// Package grant keeps remembered yeses on the disk, outside any repository: a
// file of rules for the user and one for each workspace, a rule a line. It
// decides nothing.
package grant
