export * from './access.ts';
export * from './audiences.ts';
export * from './define-route.ts';
export * from './errors.ts';
export * from './names.ts';
export * from './roles.ts';
export * from './routes/index.ts';
export * from './scopes.ts';
