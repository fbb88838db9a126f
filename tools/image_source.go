package tools

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"drawbridge/internal/fetch"
	"drawbridge/workspace"
)

// imageTypes is what a server is asked for.
const imageTypes = "image/png, image/jpeg, image/gif, image/webp"

// imageSource is where a picture is: in a file, or at an address.
type imageSource struct {
	name string // as the model wrote it
	path workspace.Path
	url  *url.URL // nil for a file
}

// parseImageSource reads the argument source. It asks nobody: who has to allow
// what is not known yet. What can be refused without them is, so that no question
// is for nothing.
func parseImageSource(env Env, a arguments) (src imageSource, err error) {
	if src.name, err = a.filled("source"); err != nil {
		return src, err
	}
	src.name = strings.TrimSpace(src.name)
	if !isAddress(src.name) {
		src.path, err = resolve(env, src.name, Read)
		return src, err
	}
	if src.url, err = fetch.Check(src.name); err != nil {
		return src, Failf("%q is not read: %v", src.name, err)
	}
	if env.Fetch == nil {
		return src, Failf("%q is not read: there are no addresses here, only files.", src.name)
	}
	if holdsSecret(src.url.String(), env.Redact) {
		return src, errSecretAddress
	}
	if err := env.Fetch.Refuse(src.url); err != nil {
		return src, src.unread(err)
	}
	return src, nil
}

// errSecretAddress tells the address to nobody.
var errSecretAddress = Failf("The address is not read: it holds a secret.")

// holdsSecret says that a known secret stands in an address, also in another way of
// writing.
func holdsSecret(address string, redact func(string) string) bool {
	if redact == nil {
		return false
	}
	plain, err := url.PathUnescape(address)
	return redact(address) != address || err == nil && redact(plain) != plain
}

func isAddress(source string) bool {
	scheme, _, found := strings.Cut(source, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// plan is the part of a plan that says what is read.
func (s imageSource) plan(verb string) Plan {
	if s.url != nil {
		return Plan{Title: CommandTitle(verb + " " + s.url.String()), Access: Read, URL: s.url.String()}
	}
	return Plan{Title: verb + " " + s.path.Rel, Access: Read, Paths: []workspace.Path{s.path}}
}

// picture is an image that models take, with its size in bytes.
type picture struct {
	Image
	size int
}

// words describe a picture: "image/png, 68 B".
func (p picture) words() string { return p.MimeType + ", " + sizeWords(p.size) }

// load reads the picture and looks whether it is one.
func (s imageSource) load(ctx context.Context, env Env, out Output) (picture, error) {
	data, told, err := s.bytes(ctx, env, out)
	if err != nil {
		return picture{}, err
	}
	kind, err := s.kind(data, told)
	if err != nil {
		return picture{}, err
	}
	return picture{Image{MimeType: kind, Data: base64.StdEncoding.EncodeToString(data)}, len(data)}, nil
}

func (s imageSource) kind(data []byte, told string) (mime string, err error) {
	if len(data) == 0 {
		return "", Failf("%q is empty (0 bytes)", s.name)
	}
	return judge(s.name, data, told)
}

// unfit is why a file is no picture that models take, whoever agrees to its reading.
// Who may not read it without a question is not told why; and what cannot be opened
// is told once that is decided.
func (s imageSource) unfit(ctx context.Context, env Env) error {
	if s.url != nil {
		return nil
	}
	f, err := env.Workspace.OpenFile(s.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, told, err := s.content(ctx, f)
	if err == nil {
		_, err = s.kind(data, told)
	}
	if failure, ok := errors.AsType[*Failure](err); ok {
		failure.Blind = fmt.Sprintf("%q is not read: it is too large, or no picture that models take. Which is not told, since that would be to read the file, which is not allowed without asking.", s.name)
	}
	return err
}

// bytes are those of the source, and what it is called elsewhere.
func (s imageSource) bytes(ctx context.Context, env Env, out Output) (data []byte, told string, err error) {
	if s.url != nil {
		return s.download(ctx, env, out)
	}
	f, err := env.Workspace.OpenFile(s.path)
	if err != nil {
		return nil, "", s.missing(env, err)
	}
	defer f.Close()
	return s.content(ctx, f)
}

// content is that of an open file, and what its name says that it is.
func (s imageSource) content(ctx context.Context, f fs.File) (data []byte, told string, err error) {
	if info, err := f.Stat(); err == nil && info.Size() > maxImage {
		return nil, "", s.tooLarge(fmt.Sprintf("%d bytes", info.Size()))
	}
	data, err = io.ReadAll(io.LimitReader(f, maxImage+1))
	switch {
	case err != nil:
		return nil, "", scanFailure(ctx, s.name, err)
	case len(data) > maxImage:
		return nil, "", s.tooLarge(fmt.Sprintf("more than %d bytes", maxImage))
	}
	return data, typeByName(s.path.Abs), nil
}

func (s imageSource) missing(env Env, err error) error {
	if fault, ok := errors.AsType[*workspace.FileError](err); ok && fault.Kind == workspace.NotFound || errors.Is(err, fs.ErrNotExist) {
		return notFound(env, s.name, s.path, "")
	}
	return fileFailure(s.name, err)
}

func (s imageSource) tooLarge(size string) error {
	return Failf("%q is too large: %s; at most %d bytes (5 MB) are taken. Make it smaller first.", s.name, size, maxImage)
}

// download asks for the address. One that holds a secret is told to nobody.
func (s imageSource) download(ctx context.Context, env Env, out Output) ([]byte, string, error) {
	address := s.url.String()
	if holdsSecret(address, out.Redact) {
		return nil, "", errSecretAddress
	}
	answer, err := env.Fetch.Get(ctx, address, imageTypes, maxImage)
	if err != nil {
		return nil, "", s.unread(err)
	}
	told := answer.Type
	if told == "" || told == "application/octet-stream" {
		told = typeByName(s.url.Path)
	}
	return answer.Body, told, nil
}

// unread tells why an address gave nothing; the end of a context stays one.
func (s imageSource) unread(err error) error {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		return err
	}
	switch e.Kind {
	case fetch.TooLarge:
		return s.tooLarge(fmt.Sprintf("more than %d bytes", maxImage))
	case fetch.Status:
		return Failf("%q cannot be read: download error: %s", s.name, e.Text)
	case fetch.Refused:
		return Failf("%q is not read: %s%s", s.name, e.Text, advice(e))
	}
	return Failf("%q cannot be read: %s", s.name, e.Text)
}

func advice(e *fetch.Error) string {
	if strings.Contains(e.Text, "redirects to") {
		return ". Call again with that address if it is the one you want; it is asked about by itself."
	}
	if strings.Contains(e.Text, "open network") {
		return ". The user can allow such addresses in the settings (images.allow)."
	}
	return "."
}

// typeByName is what the name of a file or an address says that it is.
func typeByName(name string) string {
	if ext := path.Ext(name); ext != "" {
		return strings.ToLower(ext[1:])
	}
	return ""
}
