/**
 * Constants of inner loops live in memory, as `memory.data<f32>([value])`, and are loaded where they are used. V8 makes a
 * vector constant each time from immediate values, in several instructions; a broadcasting load is one. Measured: a
 * seventh of the whole time. Where it pays the build moves them out of loops (`scripts/hoist-constants.ts`): no loop may write them.
 */
@inline
export function all(constant: usize): v128 {
  return v128.load_splat<f32>(constant)
}
