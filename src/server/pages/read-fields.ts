import type { Carrier } from '../http/carrier.ts'
import { isMultipart, readBody } from '../read-body.ts'
import { type Form, readForm } from '../read-image.ts'

/** The fields of a submitted form, in either of the encodings of browsers. */
export async function readFields(carrier: Carrier): Promise<Form> {
  if (isMultipart(carrier.headers['content-type'])) return readForm(carrier)
  const text = (await readBody(carrier)).toString()
  return { files: [], fields: new Map(new URLSearchParams(text)) }
}
