export { postgresPrograms, whyNoPostgres } from './find-programs.js'
