import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/session-index/schema.ts',
  out: './migrations/index',
});
