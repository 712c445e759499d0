internal import CUIKit
internal import Foundation

/// What the app keeps in `UserDefaults.standard`. Foundation on Linux writes it to a file only in `synchronize()`, and
/// an app that is suspended may be ended without a word; so it is written before the app can be suspended.
enum Preferences {
    /// The first use reads the file, and takes memory: not in apps that have no use for it. The name is of the accessor
    /// that they call.
    private static let areUsed = unsafe cuikit_program_imports("$s10Foundation12UserDefaultsC8standardACvgZ")

    /// Writes what has changed. Without a change that takes a microsecond.
    static func keep() {
        if areUsed { UserDefaults.standard.synchronize() }
    }
}
