/** Kept apart so that the parser is loaded only for a YAML file. */
export { parse } from 'yaml'
