/// What an app did with the GPU where it may not (R10).
package struct GPUUse: Hashable, Sendable, Codable {
    package enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        /// It opened the device anew.
        case context = 1
        /// It gave it work, in a context that it had before.
        case commands = 2
    }

    package var kind: Kind
    /// The kernel's driver, for example `amdgpu`.
    package var driver: String

    package init(_ kind: Kind, driver: String) {
        self.kind = kind
        self.driver = driver
    }

    func sentence(name: String, state: LifecycleState) -> String {
        let deed = kind == .context ? "created a context on the GPU (\(driver))" : "gave work to the GPU (\(driver))"
        return "use of the GPU in the background: \(name) \(deed) while \(state.name); stop drawing before "
            + "didEnterBackground returns, and begin again in willEnterForeground"
    }
}
