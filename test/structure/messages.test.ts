import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { filesBelow } from '../support/structure/files-below.ts'

/**
 * These are no messages for people: a defect of paysim itself, a text that the command line puts into a sentence of its
 * own, and what `UnavailableError` makes a sentence of.
 */
const OTHERS = new Set(['Error', 'RangeError', 'InvalidArgumentError', 'UnavailableError'])

const isError = (name: string) => /^\w+Error$/.test(name) && !OTHERS.has(name)

/** A text with … for what it is filled with. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
  if (ts.isBinaryExpression(node)) return `${textOf(node.left) ?? '…'}${textOf(node.right) ?? '…'}`
  return undefined
}

function messagesIn(file: string): { readonly at: string; readonly text: string }[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const found: { at: string; text: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && isError(node.expression.getText())) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      for (const text of (node.arguments ?? []).map(textOf))
        if (text?.includes(' ')) found.push({ at: `${file}:${line}`, text })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Pages have sentences of their own. */
const messages = filesBelow('src')
  .filter(file => file.endsWith('.ts') && !file.startsWith('src/web/'))
  .flatMap(messagesIn)

const breaking = (rule: (text: string) => boolean) => messages.filter(({ text }) => !rule(text))

/** The form of a message is in CONTRIBUTING.md: where, what is wrong, and what to do. */
test('every message to people begins small and ends without a full stop, unless a line below it explains more', () => {
  expect(messages.length).toBeGreaterThan(150)
  expect(breaking(text => !/^[A-Z][a-z]/.test(text))).toEqual([])
  expect(breaking(text => text.includes('\n') || !text.endsWith('.'))).toEqual([])
})

test('what to do follows in the same sentence, unless the message first says that nothing was changed', () => {
  expect(breaking(text => !/\. [A-Z]/.test(text) || / Nothing was /.test(text))).toEqual([])
})
