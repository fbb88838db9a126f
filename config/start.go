package config

import "time"

// lookEvery is how often a file that does not rest is looked at again.
const lookEvery = 20 * time.Millisecond

// LoadAtRest is Load for a program that starts: a file that is being written just
// then is waited for, for as long as it takes one to rest at most. A file that says
// something and that nobody has open to write costs no time, however new it is.
func LoadAtRest(d Dirs, checks ...Check) (Config, error) {
	for began := time.Now(); ; time.Sleep(lookEvery) {
		file := lookAt(FileOf(d))
		c, err := file.load(d, checks)
		if !file.unfinished(c, err) || time.Since(began) >= settled {
			return c, err
		}
	}
}

// unfinished says that what a file gave may not be all that its writer has to say:
// somebody has it open, or it changed just now and is empty or faulty, as one is
// that is emptied and then filled.
func (s settingsFile) unfinished(c Config, err error) bool {
	if s.err != nil {
		return false
	}
	young := time.Since(s.changed) < settled // one from the future included
	return s.written || young && (err != nil || len(c.Set) == 0)
}
