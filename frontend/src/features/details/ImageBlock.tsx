import { useState } from 'react'
import { Button } from '../../ui/Button'
import { Verbatim } from '../../ui/Verbatim'

/** Where an image may come from without asking: in the page's own bytes, or the server's store by hash. */
function localSource(src: string): string | undefined {
  if (/^data:image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i.test(src)) return src
  if (/^[0-9a-f]{64}$/i.test(src)) return `/api/blobs/${src.toLowerCase()}`
  return undefined
}

/** An image that fits, and in full size after a press. One from elsewhere is not fetched: its address is shown. */
export function Image({ src, alt, full }: { src: string; alt?: string; full?: boolean }) {
  const [zoomed, setZoomed] = useState(false)
  const [broken, setBroken] = useState(false)
  const local = localSource(src)
  if (!local || broken) {
    return (
      <p className="px-3 py-2 text-small text-muted break-spaces">
        {broken ? 'This image could not be read.' : 'An image from elsewhere, not loaded: '}
        {!local && <Verbatim text={src.slice(0, 2000)} />}
      </p>
    )
  }
  return (
    <div className="overflow-auto p-2" style={{ maxHeight: full || zoomed ? '70dvh' : 320 }}>
      <img
        src={local}
        alt={alt ?? ''}
        onError={() => setBroken(true)}
        className={full || zoomed ? 'max-w-none' : 'max-h-72 max-w-full object-contain'}
      />
      {!full && (
        <Button small tone="ghost" className="mt-1" onClick={() => setZoomed(!zoomed)}>
          {zoomed ? 'Fit' : 'Full size'}
        </Button>
      )}
    </div>
  )
}
