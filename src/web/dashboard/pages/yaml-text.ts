/** The reader and writer of YAML come when the first of them is needed. */
const library = () => import('yaml')

/** As people write it: what stands inside a rule's parts goes on one line, where there is room for long ones. */
export async function toYaml(value: unknown, { narrow = false } = {}): Promise<string> {
  const { Document, isPair, visit } = await library()
  const document = new Document(value)
  if (!narrow)
    visit(document, {
      Map(_, map, path) {
        if (path.some(isPair)) map.flow = true
      },
    })
  return document.toString({ lineWidth: narrow ? 0 : 110 })
}

export async function fromYaml(text: string): Promise<unknown> {
  const { parse } = await library()
  return parse(text)
}
