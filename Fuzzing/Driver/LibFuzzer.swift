#if COVERAGE
    internal import Foundation

    /// The target that libFuzzer runs, by the environment: libFuzzer takes every argument for its own.
    private let chosen: FuzzTarget? = ProcessInfo.processInfo.environment["GREENROOM_FUZZ"].flatMap(
        FuzzTarget.init(argument:))

    /// What libFuzzer calls for every input (https://llvm.org/docs/LibFuzzer.html#fuzz-target).
    @_cdecl("LLVMFuzzerTestOneInput")
    public func runOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        guard let chosen else {
            Child.say("GREENROOM_FUZZ names none of \(FuzzTarget.allValueStrings.joined(separator: ", "))")
            exit(2)
        }
        let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
        do throws(BrokenPromise) {
            _ = try Execution.run(chosen, input)
        } catch {
            Child.say("\(chosen.name): \(error)")
            abort()
        }
        return 0
    }
#endif
