import type { IncomingMessage } from 'node:http'
import type { BusboyHeaders, BusboyInstance } from '@fastify/busboy'
import type { FieldProblem } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { digestOf } from '../engine/image-store.ts'
import { readBody } from './read-body.ts'
import { refuseProblems } from './refusal.ts'

export interface ReceivedImage {
  readonly bytes: Buffer
  readonly digest: string
  readonly contentType: string
}

export interface Form {
  /** The parts named `file` that are files. */
  readonly files: readonly { readonly bytes: Buffer; readonly tooLarge: boolean }[]
  readonly fields: ReadonlyMap<string, string>
}

/** A whole multipart body, of at most 8 MiB. */
export async function readForm(request: IncomingMessage): Promise<Form> {
  const [body, { Busboy }] = await Promise.all([readBody(request), import('@fastify/busboy')])
  const files: { bytes: Buffer; tooLarge: boolean }[] = []
  const fields = new Map<string, string>()
  await new Promise<void>((resolve, reject) => {
    const refuse = () =>
      reject(refuseProblems([{ field: 'body', message: 'must be well-formed multipart/form-data' }]))
    let parser: BusboyInstance
    try {
      // One byte over the limit, so that a file of exactly the limit does not count as truncated.
      parser = new Busboy({
        headers: request.headers as BusboyHeaders,
        limits: { fileSize: LIMITS.receiptImage + 1, fields: 100, files: 20 },
      })
    } catch {
      return refuse()
    }
    parser.on('file', (name, stream) => {
      const chunks: Buffer[] = []
      let size = 0
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length
        chunks.push(chunk)
      })
      stream.on('error', refuse)
      stream.on('end', () => {
        if (name === 'file')
          files.push({
            bytes: Buffer.concat(chunks),
            tooLarge: stream.truncated === true || size > LIMITS.receiptImage,
          })
      })
    })
    parser.on('field', (name, value) => fields.set(name, value))
    parser.on('error', refuse)
    parser.on('finish', resolve)
    parser.end(body)
  })
  return { files, fields }
}

/** The problem of the image in a form, by kind, because the contract may give each kind another status. */
export type ImageProblem = FieldProblem & { readonly kind: 'missing' | 'too_large' | 'wrong_type' }

export function imageIn({ files }: Form): { image: ReceivedImage } | { problem: ImageProblem } {
  const [file, second] = files
  if (!file) return problem('missing', 'is required: one JPEG or PNG image')
  if (second) return problem('missing', 'must be given once')
  if (file.tooLarge) return problem('too_large', `must be at most ${LIMITS.receiptImage} bytes`)
  const contentType = imageType(file.bytes)
  if (!contentType)
    return problem('wrong_type', 'must be a JPEG or PNG image, but its first bytes are not those of one')
  return { image: { bytes: file.bytes, digest: digestOf(file.bytes), contentType } }
}

const problem = (kind: ImageProblem['kind'], message: string) => ({
  problem: { kind, field: 'file', message },
})

const SIGNATURES = [
  { type: 'image/jpeg', bytes: Buffer.from([0xff, 0xd8, 0xff]) },
  { type: 'image/png', bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
] as const

/** The first bytes decide the type of an image, not its declared type or its name. */
function imageType(bytes: Buffer): string | undefined {
  return SIGNATURES.find(signature => bytes.subarray(0, signature.bytes.length).equals(signature.bytes))?.type
}
