import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { BusboyConstructor, BusboyHeaders, BusboyInstance } from '@fastify/busboy'
import type { FieldProblem } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { Chunks, type Exchange } from './http/exchange.ts'
import { readPieces } from './http/read-body.ts'
import { refuseProblems } from './refusal.ts'

interface ReceivedImage {
  readonly chunks: readonly Buffer[]
  readonly size: number
  readonly digest: string
  readonly contentType: string
}

/** A file that arrived in a form. */
interface ReceivedFile {
  readonly chunks: Chunks
  readonly digest: string
  readonly isTooLarge: boolean
}

export interface Form {
  /** The parts named `file` that are files. */
  readonly files: readonly ReceivedFile[]
  readonly fields: ReadonlyMap<string, string>
}

/** A whole multipart body, of at most 8 MiB. It is parsed, and its file is hashed, while it arrives. */
export async function readForm(exchange: Exchange): Promise<Form> {
  const early: Buffer[] = []
  let take = (chunk: Buffer): void => void early.push(chunk)
  // The body is read at once, because nobody would hear of a caller that leaves while the parser is loaded.
  const loading = import('@fastify/busboy').then(({ Busboy }) => {
    const parser = formParser(Busboy, exchange.headers)
    early.forEach(parser.take)
    take = parser.take
    return parser
  })
  const [parser] = await Promise.all([loading, readPieces(exchange, chunk => take(chunk))])
  return parser.end()
}

/** A form that is not well-formed is refused at its end, because one that is too large is refused as that. */
function formParser(Busboy: BusboyConstructor, headers: IncomingHttpHeaders) {
  const files: ReceivedFile[] = []
  const fields = new Map<string, string>()
  let parser: BusboyInstance | undefined
  let isMalformed = false
  const parsed = new Promise<void>(resolve => {
    const refuse = () => {
      isMalformed = true
      resolve()
    }
    try {
      // One byte over the limit, so that a file of exactly the limit does not count as truncated.
      parser = new Busboy({
        headers: headers as BusboyHeaders,
        limits: { fileSize: LIMITS.receiptImage + 1, fields: 100, files: 20 },
      })
    } catch {
      return refuse()
    }
    parser.on('file', (name, stream) => {
      stream.on('error', refuse)
      if (name !== 'file') return void stream.resume()
      const [chunks, hash] = [new Chunks(), createHash('sha256')]
      stream.on('data', (chunk: Buffer) => {
        chunks.add(chunk)
        hash.update(chunk)
      })
      stream.on('end', () => {
        const isTooLarge = stream.truncated === true || chunks.size > LIMITS.receiptImage
        files.push({ chunks, digest: hash.digest('hex'), isTooLarge })
      })
    })
    parser.on('field', (name, value) => fields.set(name, value))
    parser.on('error', refuse)
    parser.on('finish', resolve)
  })
  return {
    take: (chunk: Buffer) => {
      if (!isMalformed) parser?.write(chunk)
    },
    end: async (): Promise<Form> => {
      if (!isMalformed) parser?.end()
      await parsed
      if (isMalformed)
        throw refuseProblems([{ field: 'body', message: 'must be well-formed multipart/form-data' }])
      return { files, fields }
    },
  }
}

/** The problem of the image in a form, by kind, because the contract may give each kind another status. */
export type ImageProblem = FieldProblem & { readonly kind: 'missing' | 'too_large' | 'wrong_type' }

export function imageIn({ files }: Form): { image: ReceivedImage } | { problem: ImageProblem } {
  const [file, second] = files
  if (!file) return problem('missing', 'is required: one JPEG or PNG image')
  if (second) return problem('missing', 'must be given once')
  if (file.isTooLarge) return problem('too_large', `must be at most ${LIMITS.receiptImage} bytes`)
  const contentType = imageType(file.chunks.start(8))
  if (!contentType)
    return problem('wrong_type', 'must be a JPEG or PNG image, but its first bytes are not those of one')
  const { chunks, digest } = file
  return { image: { chunks: chunks.all, size: chunks.size, digest, contentType } }
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
