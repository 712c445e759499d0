import Dispatch
import Foundation
import GreenroomTesting

// explorer [STORIES [SEED [PROFILE]]]: tells stories of the example that it was compiled with. It ends with 1 if one
// fails, and with the code for wrong usage if it is called otherwise.
let arguments = CommandLine.arguments.dropFirst()

/// What is not understood must not become other stories than those that were asked for.
@MainActor
func refuse(_ sentence: String) -> Never {
    print(sentence)
    exit(EX_USAGE)
}

@MainActor
func number<Number: FixedWidthInteger & UnsignedInteger>(_ text: String?, otherwise: Number) -> Number {
    guard let text else { return otherwise }
    return Number(text) ?? { refuse("\(text) is no number of stories and no seed") }()
}

let stories = number(arguments.first, otherwise: UInt32(500))
let seed = number(arguments.dropFirst().first, otherwise: UInt64(1))
let profile: TestDevice.Profile
do {
    profile = try arguments.dropFirst(2).first.map { try .init(named: $0) } ?? .linux
} catch {
    refuse("\(error)")
}
// From here on the main queue is not the first thread's, as in tests.
await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
do {
    if let found = try await finding(profile, seed: seed, stories: Int(stories)) {
        print(found)
        exit(1)
    }
    print("no finding in \(stories) stories")
    exit(0)
} catch {
    print("\(error)")
    exit(2)
}
