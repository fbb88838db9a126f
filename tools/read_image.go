package tools

import (
	"context"
	"encoding/json"
	"time"
)

const imageTimeout = 60 * time.Second

// readImage shows a picture to a model that sees.
type readImage struct{}

func (readImage) Spec() Spec {
	return Spec{
		Name: "read_image", Description: description(readImagePage), Schema: schema(readImageSchema),
		Access: Read, Limits: Limits{Timeout: imageTimeout, MaxOutput: maxOutput}, ForModel: ForVision,
	}
}

func (readImage) Plan(ctx context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	src, err := parseImageSource(env, a)
	if err != nil {
		return Plan{}, err
	}
	plan := src.plan("Read")
	if err := src.unfit(ctx, env); err != nil {
		return plan, err
	}
	plan.Run = func(ctx context.Context, _ Accepted, out Output) (Result, error) {
		pic, err := src.load(ctx, env, out)
		if err != nil {
			return Result{}, err
		}
		out.Write(pic.words())
		return Result{Images: []Image{pic.Image}}, nil
	}
	return plan, nil
}
