import { basename } from 'node:path'
import { ReceiptError } from '../errors.ts'
import { checkImage, type ReceiptFile, readSource, type Source } from '../receipt.ts'
import type { Upload } from '../transport/transport.ts'

export interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
}

export interface ReceiptImage {
  readonly file: ReceiptFile
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
  /** Called as the form is sent. It starts from the beginning for each attempt. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Checks the image, and makes the form that the server expects. */
export async function receiptUpload(image: ReceiptImage): Promise<Upload> {
  const source = await readSource(image.file)
  const type = checkImage(source)
  const filename = image.filename ?? (source.path === undefined ? nameFor(type) : basename(source.path))
  const contentType = image.contentType ?? type
  return {
    filename,
    contentType,
    size: source.size,
    ...(source.path === undefined ? {} : { path: source.path }),
    open: () => openForm(source, { filename, contentType }, image.onProgress),
  }
}

const nameFor = (type: string) => (type === 'image/png' ? 'receipt.png' : 'receipt.jpg')

/** The length of the form was announced: a server would wait for the rest. */
const changed = ({ path = 'the image' }: Source) =>
  new ReceiptError('unreadable', `${path} changed while it was sent: it is shorter than before`)

async function openForm(
  source: Source,
  part: { filename: string; contentType: string },
  onProgress: ReceiptImage['onProgress'],
): ReturnType<Upload['open']> {
  const [{ default: FormData }, { pipeline, Transform }, file] = await Promise.all([
    import('form-data'),
    import('node:stream'),
    source.open(),
  ])
  const form = new FormData()
  form.append('file', file, { ...part, knownLength: source.size })
  const totalBytes = form.getLengthSync()
  let sentBytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      sentBytes += chunk.length
      onProgress?.({ sentBytes, totalBytes })
      done(null, chunk)
    },
    flush: done => done(sentBytes === totalBytes ? null : changed(source)),
  })
  // The form does not destroy its parts when it is destroyed, which would leave the file open.
  const body = pipeline(form, counted, () => file.destroy())
  return { body, headers: { ...form.getHeaders(), 'content-length': String(totalBytes) } }
}
