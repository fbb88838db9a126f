package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/bridge/lsp"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

const (
	titleRewind = "Rewind"
	titleLeave  = "Leave as it is"
	// previewFiles is how many files a preview names.
	previewFiles = 20
)

// restoreArg names what is rewound: a turn or a checkpoint, of a session; the
// last turn that wrote anything, of the only session.
type restoreArg struct {
	SessionID    string `json:"sessionId,omitempty"`
	TurnID       string `json:"turnId,omitempty"`
	CheckpointID string `json:"checkpointId,omitempty"`
	// Only takes back that turn alone: what came after stays.
	Only bool `json:"only,omitempty"`
}

// restoreCommand asks whether to rewind, and does on a clear yes. It answers at
// once: clients give commands little time, and a person needs some.
func (s *Server) restoreCommand(_ context.Context, args []json.RawMessage) (any, error) {
	a, err := readRestore(args)
	if err != nil {
		return nil, err
	}
	target, err := s.restoreTarget(&a)
	if err != nil {
		return nil, s.wireError(err)
	}
	if target == nil {
		s.face.ShowMessage(lsp.Info, "Drawbridge: nothing to rewind, no turn has changed a file")
		return map[string]bool{"asked": false}, nil
	}
	s.face.Go(func(ctx context.Context) {
		if err := s.restore(ctx, a, *target); err != nil && ctx.Err() == nil {
			s.face.ShowMessage(lsp.Warning, "Drawbridge did not rewind: "+s.wireError(err).Error())
		}
	})
	return map[string]any{"asked": true, "checkpointId": target.CheckpointID}, nil
}

// readRestore takes nothing, the id of a turn or a checkpoint, or an object.
func readRestore(args []json.RawMessage) (restoreArg, error) {
	var a restoreArg
	var id string
	switch {
	case len(args) == 0:
		return a, nil
	case len(args) > 1, isNull(args[0]):
	case json.Unmarshal(args[0], &id) == nil:
		if strings.HasPrefix(id, "k") {
			return restoreArg{CheckpointID: id}, nil
		}
		if id != "" {
			return restoreArg{TurnID: id}, nil
		}
	case readExactly(args[0], &a) == nil && a != (restoreArg{}) && (a.TurnID == "" || a.CheckpointID == ""):
		return a, nil
	}
	return a, invalid("want nothing, the id of a turn or a checkpoint, or {sessionId, turnId or checkpointId, only}")
}

// restoreTarget finds the checkpoint that is meant; nil when there is none and
// none was named. Without a session the newest of all checkpoints counts.
func (s *Server) restoreTarget(a *restoreArg) (*protocol.Checkpoint, error) {
	list, err := s.sessions(a.SessionID)
	if err != nil {
		return nil, err
	}
	var found *protocol.Checkpoint
	for _, sess := range list {
		id := sess.Info().ID
		result, err := s.listCheckpoints(context.Background(), &protocol.CheckpointListParams{SessionID: id})
		if err != nil {
			return nil, err
		}
		for _, k := range slices.Backward(result.Checkpoints) {
			if a.fits(k) && (found == nil || k.CreatedAt > found.CreatedAt) {
				found, a.SessionID = &k, id
				break
			}
		}
	}
	if named := cmp.Or(a.CheckpointID, a.TurnID); found == nil && named != "" {
		return nil, &session.Error{
			Kind: "unknownCheckpoint", Message: "no checkpoint for " + named,
			Hint: "without an argument the last turn that changed files is rewound",
		}
	}
	return found, nil
}

// fits says that a checkpoint can be meant.
func (a *restoreArg) fits(k protocol.Checkpoint) bool {
	switch {
	case a.CheckpointID != "":
		return k.CheckpointID == a.CheckpointID
	case a.TurnID != "":
		return k.TurnID == a.TurnID
	}
	return !k.Gone && k.TurnID != ""
}

// rewindQuestion asks for the rewind to a checkpoint; one that a rewind made undoes
// that.
func rewindQuestion(k protocol.Checkpoint) string {
	if k.RewindTo != "" {
		return fmt.Sprintf("Undo “%s”?", k.Title)
	}
	return fmt.Sprintf("Rewind to before “%s”?", k.Title)
}

// restore shows what a rewind would do, and does it when a person says so.
func (s *Server) restore(ctx context.Context, a restoreArg, k protocol.Checkpoint) error {
	params := protocol.CheckpointPreviewParams{SessionID: a.SessionID, CheckpointID: k.CheckpointID, Only: a.Only}
	preview, err := s.previewCheckpoint(ctx, &params)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(preview.Files, func(f protocol.RewindFile) bool { return rewinds(f.State) }) {
		s.face.ShowMessage(lsp.Info, "Drawbridge: nothing to rewind there\n"+s.rewindLines(preview.Files))
		return nil
	}
	title, err := s.face.ShowMessageRequest(ctx, lsp.Warning,
		fmt.Sprintf("%s\n%s", rewindQuestion(k), s.rewindLines(preview.Files)), []string{titleRewind, titleLeave})
	switch {
	case err != nil:
		return errors.Join(errors.New("the question was not answered"), err)
	case title != titleRewind:
		return nil
	}
	done, err := s.restoreCheckpoint(ctx, &protocol.CheckpointRestoreParams{CheckpointPreviewParams: params, Digest: preview.Digest})
	if err != nil {
		return err
	}
	text := "Drawbridge rewound:\n" + s.rewindLines(done.Files)
	if done.CheckpointID != "" {
		text += "\nTo undo that: " + commandRestore + " " + done.CheckpointID
	}
	s.face.ShowMessage(lsp.Info, text)
	return nil
}

// rewinds says that something is done to the file.
func rewinds(state protocol.RewindState) bool {
	return state == protocol.RewindRestore || state == protocol.RewindMerge
}

func (s *Server) rewindLines(files []protocol.RewindFile) string {
	var b strings.Builder
	for i, f := range files {
		if i == previewFiles {
			fmt.Fprintf(&b, "… and %d more files\n", len(files)-i)
			break
		}
		fmt.Fprintf(&b, "%s: %s\n", s.shortName(f.URI), rewindWords(f))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// rewindWords say what becomes of a file, or became.
func rewindWords(f protocol.RewindFile) string {
	switch f.State {
	case protocol.RewindUnchanged:
		return "is as it was already"
	case protocol.RewindConflict, protocol.RewindUnkept, protocol.RewindDoubtful:
		return "left alone: " + cmp.Or(f.Why, "what it held was not kept")
	}
	words := map[protocol.ChangeKind]string{protocol.ChangeDelete: "removed", protocol.ChangeCreate: "there again"}
	text := cmp.Or(words[f.Kind], "as it was")
	if f.State == protocol.RewindMerge {
		text = "as it was, with the changes since by others"
	}
	return fmt.Sprintf("%s (+%d -%d)", text, f.Plus, f.Minus)
}

// shortName is a file's name within the folder of the workspace that holds it.
func (s *Server) shortName(u string) string {
	path := lsp.Path(u)
	for _, folder := range s.face.Client().Folders {
		if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return cmp.Or(path, u)
}
