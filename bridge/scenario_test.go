package bridge_test

import (
	"context"
	"flag"
	"net"
	"regexp"
	"testing"

	"drawbridge/bridge"
	"drawbridge/config"
	"drawbridge/internal/scenario"
	"drawbridge/session"
)

var update = flag.Bool("update", false, "rewrite the bridge's lines in scenarios that differ")

const scenarios = "../testdata/scenarios"

// leastScenarios only grows: behaviour that was guarded once stays guarded.
const leastScenarios = 140

func TestScenarios(t *testing.T) {
	mode := scenario.Compare
	if *update {
		mode = scenario.Update
	}
	for _, s := range load(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			s.Check(t, serve, mode)
		})
	}
}

func serve(wire net.Conn, sessions session.Options) func(context.Context) int {
	trust := config.OpenTrust(config.Dirs{State: sessions.StateDir}, nil)
	return bridge.New(wire, bridge.Options{Version: "scenario", Sessions: sessions, Trust: trust}).Run
}

func load(t *testing.T) []*scenario.Scenario {
	t.Helper()
	all, err := scenario.Load(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// A scenario guards one rule, which its first line states, and no other one
// guards the same.
func TestEachScenarioGuardsItsOwnRule(t *testing.T) {
	all := load(t)
	if len(all) < leastScenarios {
		t.Errorf("%d scenarios, at least %d", len(all), leastScenarios)
	}
	guards := map[string]string{}
	for _, s := range all {
		if !kebab.MatchString(s.Name) {
			t.Errorf("%s: a name is lower-case-words", s.Name)
		}
		if len(s.Rule) < 20 {
			t.Errorf("%s: the first line states no rule: %q", s.Name, s.Rule)
		}
		if other := guards[s.Rule]; other != "" {
			t.Errorf("%s and %s guard the same rule: %s", other, s.Name, s.Rule)
		}
		guards[s.Rule] = s.Name
	}
}
