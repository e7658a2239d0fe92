/** The reader and writer of YAML come when the first of them is needed. */
const library = () => import('yaml')

/** As people write it: what stands inside a rule's parts goes on one line. */
export async function toYaml(value: unknown): Promise<string> {
  const { Document, isPair, visit } = await library()
  const document = new Document(value)
  visit(document, {
    Map(_, map, path) {
      if (path.some(isPair)) map.flow = true
    },
  })
  return document.toString({ lineWidth: 110 })
}

export async function fromYaml(text: string): Promise<unknown> {
  const { parse } = await library()
  return parse(text)
}
