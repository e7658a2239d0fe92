import { readSource } from './receipt/source.ts'
import type { Upload } from './transport/transport.ts'

/** A form with a part named `file`, from bytes or from a path, and other fields. */
export async function fileForm(
  file: Uint8Array | string,
  filename: string,
  fields: Readonly<Record<string, string>>,
): Promise<Upload> {
  const bytes = await bytesOf(file)
  return {
    filename,
    contentType: 'application/octet-stream',
    size: bytes.length,
    fields,
    ...(typeof file === 'string' ? { path: file } : {}),
    async open() {
      const [{ default: FormData }, { Readable }] = await Promise.all([
        import('form-data'),
        import('node:stream'),
      ])
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      form.append('file', bytes, { filename })
      const whole = form.getBuffer()
      const headers = { ...form.getHeaders(), 'content-length': String(whole.length) }
      return { headers, body: Readable.from([whole]) }
    },
  }
}

async function bytesOf(file: Uint8Array | string): Promise<Buffer> {
  if (typeof file !== 'string') return Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const { buffer } = await import('node:stream/consumers')
  const { open } = await readSource(file)
  return buffer(await open())
}
