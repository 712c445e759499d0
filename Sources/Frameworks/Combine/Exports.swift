// Apple's Combine, as OpenCombine has it. Its name here is another, since packages ask `canImport(Combine)` and then
// expect Apple's; the plugin IOSSources puts it in the place of `import Combine`.
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
@_exported public import OpenCombineFoundation
