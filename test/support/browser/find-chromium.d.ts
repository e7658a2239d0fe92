interface Launch {
  readonly executablePath: string
  readonly args: string[]
}
export function findChromium(): { readonly launch: Launch } | { readonly missing: string }
