/** Whether what people point with here is a finger first of all. */
export const isCoarse: boolean = window.matchMedia('(pointer: coarse)').matches
