package protocol

// Checkpoint is what files held before a turn's first write to each of them,
// or before a rewind.
type Checkpoint struct {
	// Begins with k.
	CheckpointID string `json:"checkpointId"`
	// The turn whose writes came after; absent for a rewind's.
	TurnID string `json:"turnId,omitempty"`
	// The checkpoint that was rewound to; absent for a turn's.
	RewindTo string `json:"rewindTo,omitempty"`
	// When it was begun, milliseconds since 1970.
	CreatedAt int64 `json:"createdAt"`
	// One line for people: the beginning of the prompt, or what was rewound.
	Title string `json:"title"`
	// The files that were written, by name.
	Files List[string] `json:"files"`
	// What was kept is not there any more: it cannot be restored.
	Gone bool `json:"gone,omitempty"`
}

// RewindState says what a rewind does, or did, to a file.
type RewindState string

const (
	// RewindRestore: the file gets what it held.
	RewindRestore RewindState = "restore"
	// RewindMerge: what others changed since is kept, the rest is as it was.
	RewindMerge RewindState = "merge"
	// RewindConflict: others changed the same lines; the file is left alone.
	RewindConflict RewindState = "conflict"
	// RewindUnchanged: it holds already what it held.
	RewindUnchanged RewindState = "unchanged"
	// RewindUnkept: what it held was not kept; the file is left alone.
	RewindUnkept RewindState = "unkept"
	// RewindDoubtful: it changed while a command ran, maybe by somebody else; the
	// file is left alone.
	RewindDoubtful RewindState = "doubtful"
)

// RewindFile is what a rewind does, or did, to a file.
type RewindFile struct {
	// The file.
	URI string `json:"uri"`
	// What that is to the file as it is now.
	Kind ChangeKind `json:"kind"`
	// What is done.
	State RewindState `json:"state"`
	// Why nothing is done, or what is in doubt.
	Why string `json:"why,omitempty"`
	// Not known to be the agent's: it changed while a command ran that does not
	// name it.
	Doubtful bool `json:"doubtful,omitempty"`
	// From what it holds now to what it would hold, unified; cut at maxDiff.
	Diff string `json:"diff,omitempty"`
	// How many lines that adds.
	Plus int `json:"plus,omitempty"`
	// How many lines that takes away.
	Minus int `json:"minus,omitempty"`
}

// CheckpointListParams selects the checkpoints of a session.
type CheckpointListParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
}

// CheckpointListResult lists checkpoints.
type CheckpointListResult struct {
	// Oldest first.
	Checkpoints List[Checkpoint] `json:"checkpoints"`
}

// CheckpointPreviewParams says what to rewind.
type CheckpointPreviewParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Back to before this one; absent: to before the session's first write.
	CheckpointID string `json:"checkpointId,omitempty"`
	// Take back only what came between this checkpoint and the next: the turns
	// after keep what they did.
	Only bool `json:"only,omitempty"`
	// Also files that may have been changed by somebody else while a command ran.
	Doubtful bool `json:"doubtful,omitempty"`
}

// CheckpointPreviewResult says what a rewind would do.
type CheckpointPreviewResult struct {
	// By name.
	Files List[RewindFile] `json:"files"`
	// Names all of it; checkpoint/restore hands it back.
	Digest string `json:"digest"`
}

// CheckpointRestoreParams rewinds.
type CheckpointRestoreParams struct {
	CheckpointPreviewParams
	// Of the preview that was shown; another state of things is error stale.
	Digest string `json:"digest"`
}

// CheckpointRestoreResult says what was done.
type CheckpointRestoreResult struct {
	// By which the rewind is undone; absent when nothing was done.
	CheckpointID string `json:"checkpointId,omitempty"`
	// What was really done to each file.
	Files List[RewindFile] `json:"files"`
}
