package tools

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

const describeTimeout = 90 * time.Second

// describePrompt is what a model that sees is asked where nothing else is.
const describePrompt = "Describe this image in detail, for a programmer who cannot see it: what it shows, its layout, " +
	"every text in it word for word, and for a diagram or a user interface each element and how they relate. " +
	"Say what you cannot make out."

// Seer has a model that sees describe pictures. Safe for concurrent use.
type Seer interface {
	// Name is the model, "provider:name".
	Name() string
	// Describe gives out the model's words as they come. Its error is for people.
	Describe(ctx context.Context, img Image, prompt string, out func(text string)) error
}

// describeImage has a picture described for a model that does not see.
type describeImage struct{}

func (describeImage) Spec() Spec {
	return Spec{
		Name: "describe_image", Description: description(describeImagePage), Schema: schema(describeImageSchema),
		Access: Read, Limits: Limits{Timeout: describeTimeout, MaxOutput: maxOutput}, ForModel: ForTextOnly,
	}
}

func (describeImage) Plan(ctx context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	src, err := parseImageSource(env, a)
	if err != nil {
		return Plan{}, err
	}
	prompt := describePrompt
	if a.has("prompt") {
		if prompt, err = a.text("prompt"); err != nil {
			return Plan{}, err
		}
		if strings.TrimSpace(prompt) == "" {
			prompt = describePrompt
		}
	}
	seer, err := env.seer()
	if err != nil {
		return Plan{}, err
	}
	plan := src.plan("Describe")
	if err := src.unfit(ctx, env); err != nil {
		return plan, err
	}
	plan.Run = func(ctx context.Context, _ Accepted, out Output) (Result, error) {
		pic, err := src.load(ctx, env, out)
		if err != nil {
			return Result{}, err
		}
		return Result{}, pic.described(ctx, seer, prompt, out)
	}
	return plan, nil
}

const noSeer = "No model is set up that can look at pictures. The user can name one in the settings: visionModel: PROVIDER:NAME, " +
	"with a model that takes images (docs/settings.md). If the model in use does take images, the user can say so: models: with an entry " +
	"for it that has vision: true."

// seer is the model that looks, or a failure that says how there would be one.
func (e Env) seer() (Seer, error) {
	if e.Seer == nil {
		return nil, Failf("%s", noSeer)
	}
	s, err := e.Seer()
	if err != nil {
		return nil, Failf("The vision model cannot be used: %v", err)
	}
	if s == nil {
		return nil, Failf("%s", noSeer)
	}
	return s, nil
}

// described writes a heading and what the model says.
func (p picture) described(ctx context.Context, seer Seer, prompt string, out Output) error {
	out.Write(p.words() + ", described by " + seer.Name() + ":\n")
	said := false
	err := seer.Describe(ctx, p.Image, prompt, func(text string) {
		said = said || strings.TrimSpace(text) != ""
		out.Write(text)
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		return Failf("The vision model failed: %v", err)
	case !said:
		out.Write("[vision model returned no text]")
	}
	return nil
}
