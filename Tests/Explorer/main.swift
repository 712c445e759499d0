import Dispatch
import Foundation
import GreenroomTesting

// explorer STORIES SEED PROFILE: tells stories of the example that it was compiled with; ends with 1 if one fails.
let arguments = CommandLine.arguments
let stories = arguments.count > 1 ? Int(arguments[1]) ?? 500 : 500
let seed = arguments.count > 2 ? UInt64(arguments[2]) ?? 1 : 1
// From here on the main queue is not the first thread's, as in tests.
await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
let named = TestDevice.Profile.all.first { $0.description == arguments.dropFirst(3).first }
do {
    if let found = try await finding(named ?? .linux, seed: seed, stories: stories) {
        print(found)
        exit(1)
    }
    print("no finding in \(stories) stories")
    exit(0)
} catch {
    print("\(error)")
    exit(2)
}
