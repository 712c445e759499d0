/// The state of the device, which the daemon reports to all services.
package struct DeviceFacts: Hashable, Sendable, Codable {
    package enum Network: String, Hashable, Sendable, Codable, CaseIterable { case none, wifi, cellular, wired }

    /// On the telephone.
    package enum Call: String, Hashable, Sendable, Codable, CaseIterable { case none, ringing, connected }

    package var network = Network.none
    package var isMetered = false
    /// The user wants to save data.
    package var isConstrained = false
    package var hasExternalPower = true
    /// Thousandths; `nil`: there is no battery.
    package var battery: Int32?
    /// Another program has woken the radio, so sending costs little more now.
    package var isRadioWarm = false
    /// The user sees an app, whichever it is.
    package var isAppOnScreen = false
    /// The user saves power, or the system does because the battery is low.
    package var isLowPower = false
    /// The screen is locked or off.
    package var isLocked = false
    package var call = Call.none

    package init() {}
}
