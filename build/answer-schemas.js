import { rolldown } from 'rolldown'

/** Puts the value of `contract/control/answers.ts` in its place, so that no command makes the schemas of every call. */
export const answerSchemas = {
  name: 'answer-schemas',
  async load(id) {
    if (!id.replaceAll('\\', '/').endsWith('/src/contract/control/answers.ts')) return null
    const bundle = await rolldown({ input: id, platform: 'node' })
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
    await bundle.close()
    const { ANSWERS } = await import(
      `data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`
    )
    const data = JSON.stringify(JSON.stringify(ANSWERS))
    return { code: `export const ANSWERS = JSON.parse(${data})`, moduleType: 'js' }
  },
}
