/** The parts of undici that one plain call needs, by their files: its whole index loads three times as much. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
