package studio

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"callboard/backend/remote"
)

// look asks a server how it is, and keeps what it says. One whose address is that of another studio's page is at /api, and is attached
// there from now on.
func (s *Studio) look(ctx context.Context, a *attached) error {
	found, err := a.server.Refresh(ctx)
	if errors.Is(err, remote.ErrNoProtocol) {
		if moved, fault := s.atAPI(ctx, a); fault != nil {
			err = errors.Join(err, fault)
		} else if moved != nil {
			return s.look(ctx, moved)
		}
	}
	s.attachments.mu.Lock()
	a.looking, a.looked, a.state, a.fault = false, time.Now(), attachedReady, ""
	if err != nil {
		a.state, a.fault = attachedFailed, err.Error()
		s.attachments.mu.Unlock()
		return err
	}
	now := a.stored
	now.Version, now.Base, now.Agents = found.Version, found.Base, found.Agents
	s.attachments.mu.Unlock()
	return s.keepFound(ctx, a, now)
}

// atAPI attaches a server at /api of its address, where the protocol is there, and returns what is attached in its place; nil if nothing
// is.
func (s *Studio) atAPI(ctx context.Context, a *attached) (*attached, error) {
	s.attachments.mu.Lock()
	there := a.stored
	s.attachments.mu.Unlock()
	if strings.HasSuffix(there.URL, "/api") {
		return nil, nil
	}
	page := there.URL
	there.URL += "/api"
	if _, err := s.makeAttached(&there).Refresh(ctx); err != nil { // what is wrong at the address that was given is said
		s.log.Debug("no protocol is at an attached server's /api either", "server", there.Name, "error", err)
		return nil, nil
	}
	s.mu.Lock()
	stored, err := s.storedAttachments(ctx)
	at := slices.IndexFunc(stored, func(o attachment) bool {
		return o.Name == there.Name && (o.URL == page || o.URL == there.URL)
	})
	if err == nil && at >= 0 {
		stored[at].URL = there.URL
		err = s.keep(ctx, "attached", stored)
	}
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if at >= 0 {
		if moved, ok := s.putAttached(&there, a); ok {
			return moved, moved.server.Recover(ctx, "")
		}
	}
	if now := s.attachments.get(there.Name); now != a {
		return now, nil // another look was first, or somebody changed it meanwhile
	}
	return nil, nil
}
