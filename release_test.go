package main_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/hobjobs/hob/internal/holderfile"
)

// releaseFile is one that goreleaser puts into an archive or a package.
type releaseFile struct {
	Source   string `yaml:"src"`
	Dest     string `yaml:"dst"`
	FileInfo struct {
		Mode uint32 `yaml:"mode"`
	} `yaml:"file_info"`
	Info struct {
		Mode uint32 `yaml:"mode"`
	} `yaml:"info"`
}

// The archives and packages of a release have the files that hob hosts install looks for, beside hob. Those who make
// packages of the archives take the files by their names.
func TestHoldersOfRelease(t *testing.T) {
	text, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var release struct {
		Builds []struct {
			ID     string   `yaml:"id"`
			Main   string   `yaml:"main"`
			Binary string   `yaml:"binary"`
			OS     []string `yaml:"goos"`
			Arch   []string `yaml:"goarch"`
		} `yaml:"builds"`
		Archives []struct {
			Files []releaseFile `yaml:"files"`
		} `yaml:"archives"`
		Packages []struct {
			BinDir   string        `yaml:"bindir"`
			Contents []releaseFile `yaml:"contents"`
		} `yaml:"nfpms"`
		Casks []struct {
			CustomBlock string `yaml:"custom_block"`
		} `yaml:"homebrew_casks"`
	}
	if err := yaml.Unmarshal(text, &release); err != nil {
		t.Fatal(err)
	}
	// goreleaser puts the program of a build in a directory named for its id and its target.
	sources := map[holderfile.System]string{
		{OS: "linux", Arch: "amd64"}: "dist/hob-holder_linux_amd64_v1/hob-holder",
		{OS: "linux", Arch: "arm64"}: "dist/hob-holder_linux_arm64_v8.0/hob-holder",
	}
	for system, source := range sources {
		name, built := system.FileName(), false
		for _, b := range release.Builds {
			isHolder := b.ID == "hob-holder" && b.Main == "./cmd/hob-holder" && b.Binary == "hob-holder"
			built = built || isHolder && slices.Contains(b.OS, system.OS) && slices.Contains(b.Arch, system.Arch)
		}
		if !built {
			t.Errorf("hob-holder is not built for %s", system)
		}
		has := func(kind string, files []releaseFile, want string) {
			for _, f := range files {
				if f.Dest == want && f.Source == source && f.Info.Mode|f.FileInfo.Mode == 0o755 {
					return
				}
			}
			t.Errorf("%s have no %s that is %s and can be executed", kind, want, source)
		}
		for _, a := range release.Archives {
			has("archives", a.Files, name)
		}
		for _, p := range release.Packages {
			has("packages", p.Contents, path.Join(p.BinDir, name))
		}
		for _, c := range release.Casks {
			if !strings.Contains(c.CustomBlock, `rename "hob_*/`+name+`", "`+name+`"`) {
				t.Errorf("the cask does not keep %s beside hob", name)
			}
		}
	}
	if len(release.Archives) == 0 || len(release.Packages) == 0 || len(release.Casks) == 0 {
		t.Error("a kind of archive or package is missing")
	}
	if n := len(regexp.MustCompile(`install .*hob-holder-linux-\*`).FindAll(text, -1)); n != 2 {
		t.Errorf("%d of the packages of Arch Linux and Nix install every hob-holder, want 2", n)
	}
}
