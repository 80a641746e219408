// Package themes holds hob's colours and glyphs as data, and the one builder
// that turns them into styles.
//
// A [Palette] names roles (running, waiting, selection …), never colours. A
// [Theme] is a named palette for a dark or a light background. [Theme.Styles]
// is a pure function from palette and glyphs to the [Styles] that components
// get, each its own section:
//
//	theme := themes.Default(isDark)
//	styles := theme.Styles(themes.Unicode())
//	row := styles.List.Name.Render(name)
//
// Every role is legible without colour: selection reverses or paints a
// contrasting background, badges carry words, the theme none uses only bold,
// reverse and underline.
//
// All values are plain data without shared state; concurrent use is safe.
package themes
