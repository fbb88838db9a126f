package sandbox

// candidates are tried in this order: bubblewrap hides what Landlock can only
// refuse.
var candidates = []candidate{
	{Bubblewrap, openBubblewrap, "install bubblewrap (its package is called so everywhere), or set sandbox.backend: none in the settings, which confines nothing"},
	{LandlockLSM, openLandlock, "Landlock is part of Linux since 5.13 and holds all that is promised since 6.12"},
}
