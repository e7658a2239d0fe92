import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BINARY = fileURLToPath(new URL('../../bin/paysim.js', import.meta.url))
/** Before the block of code that is the example of a client. */
const MARK =
  /(<!-- what `paysim client (\w+) --example` prints, by `npm run docs` -->\n\n)```\w*\n.*?^```$/gms

/** The page with the examples of the clients, as they are printed. */
export const clientExamples = page =>
  page.replaceAll(MARK, (_, mark, language) => {
    const example = execFileSync(process.execPath, [BINARY, 'client', language, '--example'], {
      encoding: 'utf8',
    })
    return `${mark}\`\`\`${language}\n${example}\`\`\``
  })
