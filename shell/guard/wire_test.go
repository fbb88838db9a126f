package guard

import (
	"reflect"
	"testing"
	"time"
)

func TestAJobIsReadAsItWasWritten(t *testing.T) {
	for _, job := range []Job{
		{},
		{
			Path: "/bin/sh", Dir: "/w", Terminal: true,
			Args: []string{"sh", "-c", "echo\nhi\x00", ""}, Env: []string{"A=1", "B="},
		},
		{Path: "p", Boxed: true},
	} {
		got, err := decodeJob(job.Encode())
		if err != nil || !reflect.DeepEqual(got, job) {
			t.Errorf("%+v read as %+v, %v", job, got, err)
		}
	}
}

func TestAJobThatIsCutIsRefused(t *testing.T) {
	whole := Job{Path: "/bin/sh", Args: []string{"sh"}, Env: []string{"A=1"}}.Encode()
	for n := range whole {
		if job, err := decodeJob(whole[:n]); err == nil {
			t.Errorf("%d bytes of it read as %+v", n, job)
		}
	}
}

func FuzzDecodeJob(f *testing.F) {
	f.Add(Job{Path: "/bin/sh", Args: []string{"sh"}, Env: []string{"A=1"}}.Encode())
	f.Add([]byte{0, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, text []byte) {
		job, err := decodeJob(text)
		if err != nil {
			return
		}
		if again, err := decodeJob(job.Encode()); err != nil || !reflect.DeepEqual(again, job) {
			t.Errorf("%+v read as %+v, %v", job, again, err)
		}
	})
}

func TestNumbersOfPackets(t *testing.T) {
	for grace, want := range map[time.Duration]uint32{-1: 0, 0: 0, 150 * time.Millisecond: 150, 1 << 62: 1 << 31} {
		if got := Number(KillPacket(grace)); got != want {
			t.Errorf("a grace of %v is %d ms", grace, got)
		}
	}
	if Number([]byte{GoneWord}) != 0 || Status(Packet(ExitedWord, 3<<8)).ExitStatus() != 3 {
		t.Error("numbers are confused")
	}
}
