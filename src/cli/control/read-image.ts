import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { checkImage } from '../../client/receipt/check.ts'
import { readSource } from '../../client/receipt/source.ts'

/** An image that the server will take, or a fault that says why it would not. */
export async function readImage(path: string): Promise<{ bytes: Buffer; filename: string }> {
  const source = await readSource(path === '-' ? process.stdin : path)
  const type = checkImage(source)
  const filename = path === '-' ? `stdin.${type === 'image/png' ? 'png' : 'jpg'}` : basename(path)
  return { bytes: await buffer(await source.open()), filename }
}
