/** The lines of each icon, on a grid of 16 by 16. */
const STROKES = {
  overview: 'M2.5 13.5h11M4 11V7.5M7 11V4M10 11V8.5M13 11V5.5',
  payments: 'M2 4.5h12v7H2zM2 7h12M4.5 9.5h2',
  payouts: 'M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M2.5 13.5h11',
  requests: 'M2.5 5.5h9M8.5 2.5l3 3-3 3M13.5 10.5h-9M7.5 13.5l-3-3 3-3',
  webhooks: 'M8 2.5a2.5 2.5 0 0 1 2.2 3.7L13 11M4 8.8a2.5 2.5 0 1 0 2 3.7h5M8 5 5.2 10.2',
  rules: 'M3 3.5h10M3 8h6M3 12.5h8M12 6.5l1.5 1.5L12 9.5',
  faults: 'M8.8 2 4 9h3.4L6.8 14 12 7H8.4z',
  catalogue: 'M2.5 3.5h4.5v4.5H2.5zM9.5 3.5h4M9.5 6.5h4M2.5 11h11M2.5 13.5h7',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3',
  account: 'M6 9.5a3.2 3.2 0 1 1 2.2-1L13.5 13.5M11 11l1.5-1.5',
  nodes: 'M6 2.5h4v4H6zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4zM8 6.5v1.5M4.5 9.5V8h7v1.5',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
  check: 'm3 8.5 3.2 3.2L13 5',
  close: 'm4 4 8 8M12 4l-8 8',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5l3 3',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  forward: 'M6.5 3.5 11 8l-4.5 4.5',
  outside: 'M6.5 3.5h-4v10h10v-4M9 2.5h4.5V7M13 3 7.5 8.5',
  plus: 'M8 3v10M3 8h10',
  up: 'M8 13V3.5M4 7.5l4-4 4 4',
  sun: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  system: 'M2.5 3h11v8h-11zM5.5 13.5h5',
  play: 'M5 3.5v9l7-4.5z',
  skip: 'M4 3.5v9l6-4.5zM12 3.5v9',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  out: 'M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6h7a3.5 3.5 0 0 1 0 7h-3',
} as const

export type IconName = keyof typeof STROKES

/** The text next to an icon says the same, so screen readers skip the icon. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={STROKES[name]} />
    </svg>
  )
}
