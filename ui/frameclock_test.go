package ui

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestFrameClock(t *testing.T) {
	looks := func(c *frameClock, d time.Duration) int {
		n := 0
		for end := time.After(d); ; {
			select {
			case <-c.ticker.C:
				n++
			case <-end:
				return n
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c := newFrameClock(nil)
		c.ticker = time.NewTicker(steadyEvery)
		looks(c, time.Second)
		if n := looks(c, time.Minute); n > 0 {
			t.Errorf("%d looks although nothing happened", n)
		}

		began := time.Now()
		c.frame(false)
		<-c.ticker.C
		if waited := time.Since(began); waited > soonEvery {
			t.Errorf("after a rest the first look is %v late", waited)
		}
		if n := looks(c, time.Minute); n < 2 || n > 20 {
			t.Errorf("%d looks follow one change", n)
		}

		n := 0
		for range 100 { // ten changes a second
			c.frame(false)
			n += looks(c, 100*time.Millisecond)
		}
		if n < 550 || n > 650 {
			t.Errorf("%d looks in ten busy seconds", n)
		}

		began = time.Now()
		c.frame(true)
		<-c.ticker.C
		if waited := time.Since(began); waited > soonEvery {
			t.Errorf("after a key the look is %v late", waited)
		}
		c.stop()
		c.frame(true)
	})
}

// TestTheRendererRests also fails when an upgrade of Bubble Tea keeps its ticker
// elsewhere: see frameClock.
func TestTheRendererRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs = eng.jobs[1:] // nothing runs
		s := newStage(t, eng, AppOptions{})
		time.Sleep(time.Hour)
		ticker := rendererTicker(s.app.program)
		if ticker == nil {
			t.Fatal("the renderer's ticker is not found")
		}
		select {
		case <-ticker.C:
			t.Error("the renderer looks although nothing happens")
		default:
		}

		if _, err := s.keys.Write([]byte("j")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * soonEvery)
		synctest.Wait()
		s.sees("▌✓") // the key is drawn already
	})
}
