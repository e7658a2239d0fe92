import type { IncomingMessage } from 'node:http'
import { isMultipart, readBody } from '../read-body.ts'
import { type Form, readForm } from '../read-image.ts'

/** The fields of a submitted form, in either of the encodings of browsers. */
export async function readFields(request: IncomingMessage): Promise<Form> {
  if (isMultipart(request.headers['content-type'])) return readForm(request)
  const text = (await readBody(request)).toString()
  return { files: [], fields: new Map(new URLSearchParams(text)) }
}
