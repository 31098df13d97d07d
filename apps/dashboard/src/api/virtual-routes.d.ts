declare module 'virtual:routes' {
  export const ROUTES: Readonly<Record<string, readonly [method: string, path: string, marks: string]>>;
}
