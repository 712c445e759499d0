/// When a device saves power by itself. iOS offers it to the user at 20 %; here there is nobody to ask.
package struct PowerRules: Hashable, Sendable, Codable {
    /// From so many percent of an unplugged battery down.
    package var savesAt: Int32 = 20
    /// It ends with a charger, or with so many percent more.
    package var margin: Int32 = 5

    package init() {}
}
