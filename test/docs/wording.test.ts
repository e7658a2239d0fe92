import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../..', import.meta.url)

/**
 * Words that the project decided against, and what to write instead. docs/glossary.md defines the terms.
 * docs/cli.md contains the help of all commands, so this covers the help too.
 */
const BANNED: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\btenants?\b/i, '"account" or "merchant"'],
  [/, as (?=[`'"]?\d+(?:ms|s|m|h|d|x)?\b)/, '", such as"'],
  [/(?<!there )\bis no (?:operation|event|method|duration|object|such thing)\b/, '"is not a …"'],
  [/\bis like that\b/, '"No matching …"'],
  [/\bwhere it is wanted\b/, 'the status that was requested'],
  [/\bhow often each was the one\b/, '"how often each matched"'],
  [/\bfollows? by (?:itself|themselves)\b/, '"updates automatically" or "is generated"'],
  [/\bbreaks the rule\b/, 'what the value must be'],
  [/\bfault of its own\b/, '"internal error"'],
  [/\bbroke it off\b/, '"cut it off"'],
  [/\bfrom the moment that\b/, '"when" or "as soon as"'],
  [/\bdoes not hold together\b/, '"is not consistent" or "is not valid"'],
  [/\bleft half made\b/, '"incomplete"'],
  [/\bput back a copy\b/i, '"restore from a backup"'],
  [/\bis none taken\b|\bthat is none: /, '"is not valid"'],
  [/\bin whose place\b/, '"instead"'],
  [/\bthat (?:is|are) (?:none\b|no (?!longer\b|more\b))/, '"invalid …" or "that is not a …"'],
  [/\bthat there (?:is|are) not\b/, '"unknown …"'],
  [/\bwants? a\b/, '"needs a"'],
  [/\bwhoever\b/, '"anyone who" or "a reader"'],
  [/\bwhatever became\b/, '"even if … failed"'],
  [/\bas told\b/, 'what it does'],
  [/\bwas not to be had\b/, '"could not be fetched"'],
]

const TEXTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'knip.jsonc',
  'vitest.config.ts',
  '.ci/run',
  ...filesIn('docs', /\.md$/),
  ...filesIn('build', /\.js$/),
  ...filesIn('.github', /\.(md|yml)$/),
  ...filesIn('scenarios', /\.yaml$/),
  ...filesIn('src', /\.(ts|tsx|html|css)$/),
  // Titles and labels of tests are read too, when one fails.
  ...filesIn('test', /\.(ts|js)$/).filter(path => !path.endsWith('/wording.test.ts')),
]

test.for(BANNED)('no text has %s', ([phrase, instead]) => {
  const found = TEXTS.flatMap(path => linesWith(path, phrase))
  expect(found, `write ${instead} instead`).toEqual([])
})

function filesIn(folder: string, kind: RegExp): string[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter(name => kind.test(name))
    .map(name => `${folder}/${name.replaceAll('\\', '/')}`)
}

/** A phrase may continue on the next line, after the mark of a comment. */
function linesWith(path: string, phrase: RegExp): string[] {
  const text = readFileSync(new URL(path, ROOT), 'utf8').replace(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, ' ')
  return [...text.matchAll(new RegExp(phrase, `g${phrase.flags}`))].map(
    ({ index }) => `${path}: …${text.slice(Math.max(0, index - 30), index + 50)}…`,
  )
}
