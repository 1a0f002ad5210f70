package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"callboard/backend/model"
)

// keepBlob stores bytes once for all who hold them, notes that a thread does, and returns their number.
func (w *writer) keepBlob(thread *threadRow, hash, mediaType string, body driver.Value) (int64, error) {
	n, err := w.findBlob.number(hash)
	if err == nil && n == 0 {
		n, err = w.insertBlob.insert(hash, mediaType, body)
	}
	if err != nil {
		return 0, err
	}
	_, err = w.useBlob.exec(thread.n, n)
	return n, err
}

func (e *batch) writeBlobs(w *writer, thread *threadRow) error {
	for _, b := range e.Blobs {
		if _, err := w.keepBlob(thread, b.Hash, b.MediaType, b.Body); err != nil {
			return err
		}
	}
	return nil
}

// keepImages stores what a message shows. The bytes came with this batch or an earlier one.
func (w *writer) keepImages(thread *threadRow, m *model.Message) error {
	for i, image := range m.Images {
		n, err := w.findBlob.number(image.Hash)
		if err == nil && n == 0 {
			err = fmt.Errorf("message %s shows image %s, which is not stored", m.ID, image.Hash)
		}
		if err == nil {
			_, err = w.useBlob.exec(thread.n, n)
		}
		if err == nil {
			_, err = w.insertImage.exec(thread.n, m.ID, int64(i), n, int64(image.Width), int64(image.Height))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Which images are read.
const (
	imagesOfThread = `i.thread = ?1`
	imagesOfCalls  = `i.thread = (select thread from runs where n = ?1) and i.message in (select message from calls where run = ?1)`
)

// readImages returns what messages show, by the messages' ids.
func readImages(ctx context.Context, tx *sql.Tx, which string, n int64) (map[string][]model.Image, error) {
	images := map[string][]model.Image{}
	return images, each(ctx, tx, func(rows *sql.Rows) error {
		var message string
		var image model.Image
		if err := rows.Scan(&message, &image.Hash, &image.MediaType, &image.Bytes, &image.Width, &image.Height); err != nil {
			return err
		}
		images[message] = append(images[message], image)
		return nil
	}, `select i.message, b.hash, b.media_type, length(b.body), i.width, i.height
		from message_images i join blobs b on b.n = i.blob where `+which+` order by i.message, i.i`, n)
}
