package protocol

import "slices"

// openParts are the items one part's text stands in: several where something came in between.
type openParts struct {
	items []*Item
	ended bool
}

func nameOf(kind ItemKind, id string) string { return string(kind) + ":" + id }

func (t *Transcript) openPart(kind ItemKind, id string) {
	t.closePart()
	t.parts[nameOf(kind, id)] = &openParts{}
	t.addPart(kind, id)
}

func (t *Transcript) addPart(kind ItemKind, id string) *Item {
	part := &Item{Kind: kind, Key: t.key(kind, id), ID: id, Turn: t.turn, Open: true}
	name := nameOf(kind, id)
	if t.parts[name] == nil {
		t.parts[name] = &openParts{}
	}
	t.parts[name].items = append(t.parts[name].items, part)
	t.Items = append(t.Items, part)
	t.open = part
	return part
}

func (t *Transcript) closePart() {
	if t.open != nil {
		t.open.Open = false
	}
	t.open = nil
}

func (t *Transcript) partDelta(kind ItemKind, f Frame, id, delta string) {
	part := t.open
	if part == nil || part.ID != id || part.Kind != kind {
		if parts := t.parts[nameOf(kind, id)]; parts != nil && parts.ended {
			t.Late = append(t.Late, f)
			return
		}
		// Something came in between, or no start came: the text keeps its place in the order.
		t.closePart()
		part = t.addPart(kind, id)
	}
	t.pieceCame(f, t.turn)
	part.text.WriteString(delta)
}

func (t *Transcript) partEnd(kind ItemKind, f Frame, id string, dropped bool) {
	parts := t.parts[nameOf(kind, id)]
	if parts == nil || parts.ended {
		t.Late = append(t.Late, f)
		return
	}
	parts.ended = true
	for _, part := range parts.items {
		if part == t.open {
			t.closePart()
		}
		if dropped {
			t.remove(func(i *Item) bool { return i == part })
			t.DroppedParts = append(t.DroppedParts, part)
		}
	}
	parts.items = nil
}

// remove takes out the last item that is meant. What is dropped stands near the end, so the search begins there.
func (t *Transcript) remove(is func(*Item) bool) {
	for at, item := range slices.Backward(t.Items) {
		if is(item) {
			t.Items = slices.Delete(t.Items, at, at+1)
			return
		}
	}
}
