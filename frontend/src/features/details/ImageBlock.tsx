import clsx from 'clsx'
import { useContext, useState } from 'react'
import { OpenLink } from '../../markdown/OpenLink'
import { Button } from '../../ui/Button'
import { count, size } from '../../ui/format'
import { useKept } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { BlockFrame } from './BlockFrame'

interface Props {
  src: string
  mediaType?: string
  alt?: string
  /** How large an image of the store is. */
  bytes?: number
  raw: string
}

const drawable = /^data:image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i
const hash = /^[0-9a-f]{64}$/i

/** Where an image may come from without asking: the page's own bytes, or the server's store by hash. */
function localSource(src: string): string | undefined {
  if (drawable.test(src)) return src
  return hash.test(src) ? `/api/blobs/${src.toLowerCase()}` : undefined
}

/** An image that fits, and in full size after a press. One from elsewhere is not fetched: its address is shown, and opened outside. */
export function ImageBlock({ src, mediaType, alt, bytes: stored, raw }: Props) {
  const [edges, setEdges] = useState<[number, number]>()
  const local = localSource(src)
  const about = [edges && `${count(edges[0])} × ${count(edges[1])}`, stored ? size(stored) : dataSize(src)]
    .filter(Boolean)
    .join(', ')
  const file = { name: `image.${ending(src, mediaType)}`, content: local ? () => bytes(local) : undefined }
  return (
    <BlockFrame
      title="Image"
      heading={alt ? <Verbatim text={alt} /> : undefined}
      meta={about}
      copyText={src}
      file={file}
      raw={raw}
    >
      {(full) =>
        local ? (
          <Picture src={local} alt={alt} full={full} onEdges={(w, h) => setEdges([w, h])} />
        ) : (
          <Elsewhere src={src} />
        )
      }
    </BlockFrame>
  )
}

interface PictureProps {
  src: string
  alt?: string
  full: boolean
  onEdges: (width: number, height: number) => void
}

function Picture({ src, alt, full, onEdges }: PictureProps) {
  const [zoomed, setZoomed] = useKept('zoomed', false)
  const [broken, setBroken] = useState(false)
  if (broken) return <p className="px-3 py-2 text-small text-muted">This image could not be read.</p>
  return (
    <div className="overflow-auto p-2" style={{ maxHeight: full ? '70dvh' : zoomed ? 480 : undefined }}>
      <button
        type="button"
        aria-pressed={zoomed}
        title={zoomed ? 'Fit' : 'Full size'}
        className={clsx('block rounded-[3px]', zoomed ? 'cursor-zoom-out' : 'max-w-full cursor-zoom-in')}
        onClick={() => setZoomed(!zoomed)}
      >
        <img
          src={src}
          alt={alt || 'Image without a description'}
          decoding="async"
          onError={() => setBroken(true)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => onEdges(naturalWidth, naturalHeight)}
          className={clsx(
            'checkerboard',
            zoomed ? 'max-w-none' : full ? 'max-h-[65dvh] max-w-full' : 'max-h-72 max-w-full',
          )}
        />
      </button>
    </div>
  )
}

function Elsewhere({ src }: { src: string }) {
  const openLink = useContext(OpenLink)
  const web = /^https?:/i.test(src)
  return (
    <div className="flex flex-wrap items-center gap-3 px-3 py-2 text-small text-muted">
      <p className="min-w-0 flex-1 break-spaces">
        {web ? 'An image from elsewhere, not loaded: ' : 'Not an image that is shown here: '}
        <Verbatim text={src.slice(0, 2000)} />
      </p>
      {web && (
        <Button small onClick={() => openLink(src)}>
          Open outside…
        </Button>
      )}
    </div>
  )
}

/** The bytes of a data URL, in words. */
function dataSize(src: string): string | undefined {
  const comma = src.indexOf(',')
  if (!src.startsWith('data:') || comma < 0) return undefined
  const body = src.length - comma - 1
  return size(src.slice(0, comma).endsWith(';base64') ? Math.floor((body * 3) / 4) : body)
}

function ending(src: string, mediaType = ''): string {
  const type = drawable.exec(src)?.[1] ?? mediaType.split('/')[1] ?? ''
  const name = type.toLowerCase().replace('svg+xml', 'svg').replace('jpeg', 'jpg')
  return /^[a-z0-9]+$/.test(name) ? name : 'bin'
}

/** The bytes of an image that is drawn: a data URL is read here, since the page may not fetch one. */
async function bytes(local: string): Promise<Blob> {
  if (!local.startsWith('data:')) {
    const answer = await fetch(local)
    if (!answer.ok) throw new Error(`it was answered with status ${answer.status}`)
    return answer.blob()
  }
  const comma = local.indexOf(',')
  const head = local.slice(5, comma)
  const body = local.slice(comma + 1)
  const type = head.split(';')[0]
  if (!head.endsWith(';base64')) return new Blob([decodeURIComponent(body)], { type })
  return new Blob([Uint8Array.from(atob(body), (character) => character.charCodeAt(0))], { type })
}
