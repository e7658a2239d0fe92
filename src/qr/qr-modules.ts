import { isLight } from './layout.ts'
import { encode } from './symbol.ts'

/** The symbol of a text, module by module and without the quiet zone. Everything outside of it is light. */
export function qrModules(text: string): { size: number; dark(x: number, y: number): boolean } {
  const { layout, grid } = encode(text)
  const { size } = layout
  return {
    size,
    dark: (x, y) => x >= 0 && y >= 0 && x < size && y < size && !isLight(layout, grid, x, y),
  }
}
